import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark } from '../../../pages/brand-mark.ts'
import { faviconPath } from '../../../pages/favicon.ts'
import type { Role } from '../../../people/user.ts'
import { getLanguage, t } from '../../../texts.ts'
import { renderScripts, renderStylesheet } from '../assets.ts'
import { renderIcon } from './icon.ts'
import { type Key, renderKeysHelp } from './keys-help.ts'
import { renderNavigation, type Section } from './navigation.ts'
import type { Theme } from './theme.ts'
import { renderToastBox, type Toast } from './toast.ts'
import { renderUserMenu } from './user-menu.ts'

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
  const content = html`<body class="console">
<a class="skip button" href="#main">${t('shell.skip')}</a>
<header>
<div class="top">
<button class="menu-toggle" type="button" popovertarget="sidebar">${renderIcon('menu')}<span class="hidden-text">${t('shell.openMenu')}</span></button>
<a class="home" href="/console">${brandMark} Brevis</a>
${renderSearchLink('top-search')}
</div>
<div class="sidebar" id="sidebar" popover>
<div class="sidebar-head"><a class="home" href="/console">${brandMark} Brevis</a>
<button class="menu-toggle" type="button" popovertarget="sidebar" popovertargetaction="hide">${renderIcon('close')}<span class="hidden-text">${t('shell.closeMenu')}</span></button></div>
${frame.may('GET', '/console/links/new') ? html`<a class="button create" href="/console/links/new">${renderIcon('plus')}${t('shell.createLink')}</a>` : null}
${renderSearchLink('side-search')}
${renderNavigation(section, frame)}
${renderUserMenu(frame, section)}
</div>
</header>
<main id="main" tabindex="-1">
${body}
${renderTimeZoneNote(frame)}
</main>
${renderToastBox(frame, confirmation)}
${renderScreenReaderStatus()}
${renderKeysHelp(keys)}
</body>`
  return renderDocument({ title: `${title} – Brevis`, nonce, theme, content })
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
  return html`<p class="hidden-text" id="said" role="status" data-text-copied="${t('shell.copy.copied')}" data-text-selected="${t('shell.copy.selected')}" data-text-hint="${t('shell.copy.selectedText')}"></p>`
}

function renderSearchLink(className: string): SafeHtml {
  return html`<a class="${className}" href="/console/search" data-palette>${renderIcon('search')}<span>${t('shell.search')}</span> <kbd>${t('shell.searchKeys')}</kbd></a>`
}
