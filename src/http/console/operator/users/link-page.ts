import { html } from '@remix-run/html-template'
import { t } from '../../../../texts.ts'
import { renderCopyable } from '../../kit/parts.ts'
import type { Frame } from '../../shell/layout.ts'
import { type OperatorSection, renderOperatorPage } from '../layout.ts'

type LinkPage = {
  email: string
  url: string
  /** How long the link is valid. */
  validity: 'hour' | 'week' | 'always'
  section: OperatorSection
  /** The page to continue to. */
  next: string
}

/**
 * Returns how long the link of a new user is valid. Without passwords it is the sign-in page, which
 * does not expire.
 */
export function getLinkValidity({
  passwordSignIn,
}: {
  passwordSignIn: boolean
}): 'week' | 'always' {
  return passwordSignIn ? 'week' : 'always'
}

/** Renders the link that an admin sends to a user, to set a password or to sign in. */
export function renderLinkForUserPage(
  frame: Frame,
  { email, url, validity, section, next }: LinkPage,
): string {
  return renderOperatorPage(frame, {
    title: t('admin.user.link.title', { email }),
    currentSection: section,
    body: html`<h1>${t('admin.user.link.title', { email })}</h1>
<section class="panel" aria-labelledby="link">
<h2 id="link">${t('admin.user.link.send', { email })}</h2>
<p>${renderCopyable({ id: 'user-link', text: url })}</p>
<p class="soft">${t(`admin.user.link.validity.${validity}`)}</p>
<p class="actions"><a class="button" href="${next}">${t('admin.user.link.done')}</a></p>
</section>`,
  })
}
