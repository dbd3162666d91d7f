import { html, type SafeHtml } from '@remix-run/html-template'
import { getShareImagePath, parseShareImageHash } from '../../../links/share-images/share-image.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { type FilledForm, findErrorText, getInputText } from './form.ts'

/** One transparent pixel. */
const NO_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/**
 * Renders a preview of the link when shared. An image of another site is only named, because loading
 * it would send a request there. A script updates elements with `data-card` on input.
 */
export function renderLinkCard({ form, choices }: FilledForm): SafeHtml {
  const getText = (name: string) => getInputText(form, name)
  const title = getText('metaTitle')
  const description = getText('metaDescription')
  const picture = hostOf(getText('metaImage'))
  const hash = parseShareImageHash(getText('metaImage'))
  return html`<figure class="card" data-cards data-empty="${t('linkForm.card.empty')}" data-image="${t('linkForm.card.image')}">
<div class="card-box">
<img class="card-image" data-card-image src="${hash ? getShareImagePath(hash) : NO_IMAGE}" alt=""${hash ? null : html` hidden`}>
<p class="card-picture" data-card="picture"${picture && !hash ? null : html` hidden`}>${t('linkForm.card.image', { host: picture })}</p>
<p class="small soft" data-card="host" dir="ltr">${hostText(getText('domain') || choices.host)}</p>
<p class="card-title" data-card="title" dir="auto">${title || hostOf(getText('url')) || t('linkForm.card.empty')}</p>
<p class="card-text" data-card="description" dir="auto"${description ? null : html` hidden`}>${description}</p>
</div>
</figure>`
}

/** Renders the upload of an image, which the card shows at once if scripts run. */
export function renderImageUpload(filled: FilledForm): SafeHtml {
  const error = findErrorText(filled, 'metaImageFile')
  return html`<div class="field">
<label for="metaImageFile">${t('linkForm.card.upload')}</label>
<input type="file" id="metaImageFile" name="metaImageFile" accept="image/png,image/jpeg" aria-describedby="metaImageFile-hint${error ? ' metaImageFile-error' : ''}"${error ? html` aria-invalid="true" autofocus` : null}>
<p class="hint" id="metaImageFile-hint">${t('linkForm.card.uploadHint')}</p>
${error ? html`<p class="error" id="metaImageFile-error" role="alert">${error}</p>` : null}
</div>`
}
