import { html, type SafeHtml } from '@remix-run/html-template'
import type { Role } from '../../../identity/user.ts'
import { brandMark, faviconPath } from '../../../pages/brand-mark.ts'
import { csrfField } from '../../../pages/field.ts'
import { getLanguage, getSiteName, t } from '../../../texts.ts'
import { renderScripts, renderStylesheet, withScript } from '../assets.ts'
import { renderAvatar, renderIcon } from './icon.ts'
import { renderNavigation, type Section } from './navigation.ts'
import { type Theme, themes } from './theme.ts'
import { renderToastBox, type Toast } from './toast.ts'

/** A keyboard shortcut: the key, its description, and the page that it opens, if any. */
export type Key = readonly [key: string, text: string, path?: string]

/** `username` is the name of the current account, `email` that of the user, who has this role in it. */
type MenuState = { csrf: string; username: string; email: string; role: Role; theme: Theme }

/** The context of a form. */
export type FormFrame = {
  /** The form token. */
  csrf: string
  /** Returns whether the user's role allows to open or submit a path. */
  may: (method: 'GET' | 'POST', path: string) => boolean
  /** Whether the user has a password, which then confirms sensitive changes. */
  confirmsByPassword: boolean
  /** Whether users can sign in with an identity provider. */
  hasProvider: boolean
  /** The path and query of the page, or of the list of links if the page is the reply to a POST. */
  path: string
}

/** The context of every console page. */
export type Frame = FormFrame & {
  nonce: string
  /** The name of the account. */
  username: string
  /** The user's email, and role in the account. */
  email: string
  role: Role
  /** Whether the user is an admin, who sees the admin section. */
  isAdmin: boolean
  theme: Theme
  /** The user's time zone. */
  timeZone: string
  /** The confirmation of the previous change. */
  toast?: Toast | undefined
}

type ConsolePage = {
  title: string
  /** The current section of the navigation. */
  section: Section
  /** Additional keyboard shortcuts. */
  keys?: readonly Key[]
  /** The text of the confirmation, if it is specific to this page. */
  confirmation?: string | undefined
  body: SafeHtml
}

/**
 * Renders a console page with `body` inside its `<main>`. The sidebar is a popover: a drawer on a
 * phone, and always open on wider screens.
 */
export function renderConsolePage(
  frame: Frame,
  { title, section, keys = [], confirmation, body }: ConsolePage,
): string {
  const { nonce, theme } = frame
  const content = html`<body class="console"${withScript('page')}>
<a class="skip button" href="#main">${t('shell.skip')}</a>
<header>
<div class="top">
<button class="menu-toggle" type="button" popovertarget="sidebar">${renderIcon('menu')}<span class="hidden-text">${t('shell.openMenu')}</span></button>
<a class="home" href="/console">${brandMark} ${getSiteName()}</a>
<a class="top-search" href="${buildSearchPath(frame)}" data-palette>${renderIcon('search')}<span class="hidden-text">${t('shell.search')}</span></a>
</div>
<div class="sidebar" id="sidebar" popover>
<div class="sidebar-head"><a class="home" href="/console">${brandMark} ${getSiteName()}</a>
<button class="menu-toggle" type="button" popovertarget="sidebar" popovertargetaction="hide">${renderIcon('close')}<span class="hidden-text">${t('shell.closeMenu')}</span></button></div>
${frame.may('GET', '/console/links/new') ? html`<a class="button quiet create" href="/console/links/new">${renderIcon('plus')}${t('shell.createLink')}</a>` : null}
${renderSearchLink(frame)}
${renderNavigation(section, frame)}
${renderUserMenu(frame, section)}
<form class="drawer-only" method="post" action="/console/sign-out">${csrfField(frame.csrf)}<button class="menu-button">${t('shell.signOut')}</button></form>
</div>
</header>
<main id="main" tabindex="-1">
${body}
${renderTimeZoneNote(frame)}
</main>
${renderToastBox(frame, confirmation)}
${renderScreenReaderStatus()}
${renderKeysHelp(frame, keys)}
</body>`
  return renderDocument({ title: `${title} – ${getSiteName()}`, nonce, theme, content })
}

/** Renders a document with the styles and scripts of the console. `content` is its body. */
export function renderDocument({
  title,
  nonce,
  theme = 'system',
  content,
}: {
  title: string
  nonce: string
  theme?: Theme
  content: SafeHtml
}): string {
  return String(html`<!doctype html>
<html lang="${getLanguage()}"${theme === 'system' ? null : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
${renderStylesheet(nonce)}
${renderScripts(nonce, content)}
</head>
${content}
</html>
`)
}

/** Renders a note with the time zone of all times on the page. */
function renderTimeZoneNote({ timeZone }: Frame): SafeHtml {
  return html`<p class="time-zone small soft">${t('shell.timeZone')} <a href="/console/settings">${timeZone.replaceAll('_', ' ')}</a></p>`
}

/**
 * Renders the invisible status in which scripts announce changes to screen readers. It contains the
 * texts of `copy.js`.
 */
function renderScreenReaderStatus(): SafeHtml {
  return html`<p class="hidden-text" id="said"${withScript('copy')} role="status" data-text-copied="${t('shell.copy.copied')}" data-text-selected="${t('shell.copy.selected')}" data-text-hint="${t('shell.copy.selectedText')}"></p>`
}

/** Returns the path of the search, which also has the actions on the link whose page is open. */
function buildSearchPath({ path }: Frame): string {
  const [at] = /^\/console\/links\/\d+/.exec(path) ?? []
  return at ? `/console/search?at=${encodeURIComponent(at)}` : '/console/search'
}

function renderSearchLink(frame: Frame): SafeHtml {
  return html`<a class="side-search" href="${buildSearchPath(frame)}" data-palette${withScript('palette')}>${renderIcon('search')}<span>${t('shell.search')}</span> <kbd>${t('shell.searchKeys')}</kbd></a>`
}

/** Renders the user's menu: account, settings, switching the account, theme, and sign-out. */
function renderUserMenu(
  { csrf, username, email, role, theme }: MenuState,
  section: Section,
): SafeHtml {
  return html`<button class="user" type="button" popovertarget="user-menu">${renderAvatar(email.split('@')[0] ?? '')}<span class="user-name">${email}<span class="small soft cut">${t('shell.inAccount', { account: username, role: t(`roles.${role}`) })}</span></span><span class="hidden-text">${t('shell.userMenu')}</span></button>
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

/**
 * Renders the dialog with the shortcuts of all pages and those in `keys`, without those of pages that
 * the user's role may not open. `keys.js` opens it.
 */
function renderKeysHelp({ may }: Frame, keys: readonly Key[]): SafeHtml {
  const all: readonly Key[] = [
    [t('shell.searchKeys'), t('shell.keyTexts.search')],
    ['C', t('shell.keyTexts.create'), '/console/links/new'],
    ...keys,
    ['?', t('shell.keyTexts.help')],
    ['Esc', t('shell.keyTexts.close')],
  ]
  const usable = all.filter(([, , path]) => path === undefined || may('GET', path))
  return html`<dialog id="keys"${withScript('keys')} aria-labelledby="keys-title"><h2 id="keys-title">${t('shell.keys')}</h2>
<dl class="facts">${usable.map(([key, text]) => html`<dt><kbd class="key-name">${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button class="button small">${t('shell.close')}</button></form></dialog>`
}
