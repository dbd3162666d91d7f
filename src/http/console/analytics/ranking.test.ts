import { html } from '@remix-run/html-template'
import { expect, test } from 'vitest'
import { rankingTable } from './ranking.ts'

test('marks countries by their code, because many systems have no flags among their glyphs', () => {
  const ranks = [{ label: 'Germany', sign: 'DE', clicks: 3 }]
  const table = String(html`${rankingTable({ one: 'Country', ranks, total: 3 }, 'title')}`)
  expect(table).toContain('<span class="sign" aria-hidden="true">DE</span> <bdi>Germany</bdi>')
  expect(table).not.toMatch(/\p{Regional_Indicator}/u)
})
