import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderAvatar } from './icon.ts'
import type { Section } from './navigation.ts'
import { type Theme, themes } from './theme.ts'

/** `username` is the name of the current account. */
type MenuState = { csrf: string; username: string; theme: Theme }

/** Renders the user's menu: account, settings, switching the account, theme, and sign-out. */
export function renderUserMenu({ csrf, username, theme }: MenuState, section: Section): SafeHtml {
  return html`<button class="user" type="button" popovertarget="user-menu">${renderAvatar(username)}<span class="user-name">${username}</span><span class="hidden-text">${t('shell.userMenu')}</span></button>
<div class="user-menu" id="user-menu" popover>
<a href="/console/account"${section === '/console/account' ? html` aria-current="page"` : null}>${t('shell.account')}</a>
<a href="/console/settings"${section === '/console/settings' ? html` aria-current="page"` : null}>${t('shell.settings')}</a>
<a href="/console/accounts"${section === '/console/accounts' ? html` aria-current="page"` : null}>${t('shell.accounts')}</a>
<form method="post" action="/console/theme" class="themes">${csrfField(csrf)}
<fieldset><legend>${t('shell.theme')}</legend>
<div class="segments">${themes.map(
    (each) =>
      html`<button name="theme" value="${each}" aria-pressed="${String(each === theme)}">${t(`shell.themes.${each}`)}</button>`,
  )}</div></fieldset>
</form>
<form method="post" action="/console/sign-out">${csrfField(csrf)}
<button class="menu-button">${t('shell.signOut')}</button>
</form>
</div>`
}
