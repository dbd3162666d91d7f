import { html, type SafeHtml } from '@remix-run/html-template'
import type { ReportSetting } from '../../../../email-reports/subscription.service.ts'
import { csrfField, field } from '../../../../pages/field.ts'
import { LANGUAGES, t, tAll } from '../../../../texts.ts'
import { listTimeZones } from '../../../../time-zone.ts'
import { type ProviderView, renderProviderPanel } from '../../oidc/connect.ts'
import { type Frame, renderConsolePage } from '../../shell/layout.ts'

type SettingsPage = {
  language: string
  timeZone: string
  /** The current time in the stored time zone, as text. */
  currentTime: string
  /** The identity provider, if configured. */
  provider?: ProviderView | undefined
  /** How often the user receives reports on this account by email, if the service can send email. */
  reportSetting?: ReportSetting | undefined
  errors?: { language?: string; timeZone?: string; frequency?: string; form?: string }
}

/** Renders the signed-in user's settings: language, time zone, provider and reports. */
export function renderSettingsPage(frame: Frame, page: SettingsPage): string {
  const { timeZone, currentTime, provider, errors = {} } = page
  return renderConsolePage(frame, {
    title: t('settings.title'),
    section: '/console/settings',
    body: html`<h1>${t('settings.title')}</h1>
<p class="soft">${t('settings.intro')}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<section class="panel" aria-label="${t('settings.title')}">
<form method="post" action="/console/settings">${csrfField(frame.csrf)}
${renderLanguageField(page)}
${field({
  name: 'timeZone',
  label: t('settings.timeZone'),
  autocomplete: 'off',
  value: timeZone,
  hint: t('settings.timeZoneHint', { now: currentTime }),
  maxLength: 64,
  ...(errors.timeZone && { error: errors.timeZone, autofocus: true }),
  attributes: html` list="time-zones" spellcheck="false"`,
})}
<datalist id="time-zones">${listTimeZones().map((name) => html`<option value="${name}"></option>`)}</datalist>
<p class="actions"><button class="button">${t('settings.save')}</button> <button class="button quiet" type="button" data-browser-zone hidden>${t('settings.useBrowserZone')}</button></p>
</form>
</section>
${page.reportSetting === undefined ? null : renderReportsPanel(frame, page.reportSetting, errors.frequency)}
${provider ? renderProviderPanel(frame, provider) : null}`,
  })
}

function renderReportsPanel(
  { csrf, username }: Frame,
  setting: ReportSetting,
  error: string | undefined,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="reports">
<h2 id="reports">${t('settings.reports.title')}</h2>
<form method="post" action="/console/settings/reports">${csrfField(csrf)}
<div class="field">
<label for="frequency">${t('settings.reports.label', { account: username })}</label>
<select id="frequency" name="frequency" aria-describedby="frequency-hint${error ? ' frequency-error' : ''}"${error ? html` aria-invalid="true"` : null}>${Object.entries(
    tAll('settings.reports.choices'),
  ).map(
    ([value, name]) =>
      html`<option value="${value}"${value === setting ? html` selected` : null}>${name}</option>`,
  )}</select>
<p class="hint" id="frequency-hint">${t('settings.reports.hint')}</p>
${error ? html`<p class="error" id="frequency-error" role="alert">${error}</p>` : null}
</div>
<p class="actions"><button class="button">${t('settings.reports.save')}</button></p>
</form>
</section>`
}

function renderLanguageField({ language, errors = {} }: SettingsPage): SafeHtml {
  const { language: error } = errors
  return html`<div class="field">
<label for="language">${t('settings.language')}</label>
<select id="language" name="language" aria-describedby="language-hint${error ? ' language-error' : ''}"${error ? html` aria-invalid="true"` : null}>${Object.entries(
    LANGUAGES,
  ).map(
    ([tag, name]) =>
      html`<option value="${tag}" lang="${tag}"${tag === language ? html` selected` : null}>${name}</option>`,
  )}</select>
<p class="hint" id="language-hint">${t('settings.languageHint')}</p>
${error ? html`<p class="error" id="language-error" role="alert">${error}</p>` : null}
</div>`
}
