import { html } from '@remix-run/html-template'
import { expect, test } from 'vitest'
import { renderRanking } from './ranking.ts'

test.for([
  ['DE', 'src="/console/assets/'],
  ['DE', '/flag-DE.svg" width="21" height="14" alt="" loading="lazy"> <bdi>Germany</bdi>'],
  ['ZZ', '<span class="label"><bdi>Germany</bdi>'],
  ['../a', '<span class="label"><bdi>Germany</bdi>'],
  [undefined, '<span class="label"><bdi>Germany</bdi>'],
])('the table has flags of known countries only: for %s, it contains %s', ([country, expected]) => {
  const ranks = [{ label: 'Germany', country, clicks: 3 }]
  const table = String(html`${renderRanking({ labelName: 'Country', ranks, total: 3 }, 'title')}`)
  expect(table).toContain(expected)
  expect(table).not.toMatch(/\p{Regional_Indicator}/u)
})
