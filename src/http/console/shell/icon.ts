import { html, type SafeHtml } from '@remix-run/html-template'
import { avatarSvg } from '../../../pages/avatar.ts'

/** SVG paths in a 24 by 24 view box. */
const shapes = {
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2',
  code: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h3v3M20 14v6h-6',
  page: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  flag: 'M5 21V4M5 5h12l-2 4 2 4H5',
  layers: 'M12 3 3 8l9 5 9-5zM3 13l9 5 9-5',
  chart: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  home: 'M3 11l9-7 9 7M5 10v10h14V10M10 20v-6h4v6',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  window: 'M3 5h18v14H3zM3 9h18',
  card: 'M3 4h18v16H3zM12 13h6v4h-6z',
  target: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M17 6l3 3',
  people:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM3 20a6 6 0 0 1 12 0M16 5.5a3.5 3.5 0 0 1 0 6M17.5 14.5A6 6 0 0 1 21 20',
  hook: 'M9 7a3.5 3.5 0 1 1 5 3l3 5M6 13a3.5 3.5 0 1 0 3 4h6M17 20a3 3 0 1 0 0-6',
  transfer: 'M7 4v13M3 13l4 4 4-4M17 20V7M13 11l4-4 4 4',
  shield: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  more: 'M4.5 12a.7.7 0 1 0 1.4 0a.7.7 0 1 0-1.4 0M11.3 12a.7.7 0 1 0 1.4 0a.7.7 0 1 0-1.4 0M18.1 12a.7.7 0 1 0 1.4 0a.7.7 0 1 0-1.4 0',
} as const

/** Renders a decorative icon in the text color, hidden from screen readers. */
export function renderIcon(name: keyof typeof shapes): SafeHtml {
  return html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false"><path d="${shapes[name]}"/></svg>`
}

/** Renders the avatar of a name that is beside it, so screen readers ignore the avatar. */
export function renderAvatar(name: string): SafeHtml {
  return html`<span class="face" aria-hidden="true">${avatarSvg(name)}</span>`
}
