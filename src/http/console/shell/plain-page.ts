import { type Page, page } from '../../../pages/layout.ts'
import { getLanguage } from '../../../texts.ts'

/** Renders a page without header and sidebar, in the language of the request. */
export function renderPlainPage({ title, ...options }: Omit<Page, 'language'>): string {
  return page({ ...options, title: `${title} – Brevis`, language: getLanguage() })
}
