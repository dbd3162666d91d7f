import { html } from '@remix-run/html-template'
import type { Mark } from '../kit/link-name.ts'

const MAX_BEFORE = 12
const CONTEXT = 6

/** Returns a function that renders a text with the words of a search marked. */
export function createMark(search: string): Mark {
  const words = search.trim().split(/\s+/).filter(Boolean)
  if (words.length === 0) return (text) => text
  const pattern = new RegExp(`(${words.map(escapePattern).join('|')})`, 'giu')
  return (text, maxBefore = MAX_BEFORE) => {
    const start = text.search(pattern)
    if (start < 0) return text
    const shown = start > maxBefore ? `…${text.slice(start - CONTEXT)}` : text
    return html`${shown.split(pattern).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`
  }
}

/** Returns whether a text has a word of a search. */
export function hasMatch(mark: Mark, text: string): boolean {
  return mark(text) !== text
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
