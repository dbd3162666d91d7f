import { expect } from 'vitest'
import { linkListTest } from '../support/link-list.ts'

const test = linkListTest()

test('shows and copies an internationalized domain in Unicode, and sends it as Punycode', async ({
  make,
  owner,
  person,
  request,
}) => {
  const host = 'xn--mnchen-3ya.example'
  const { id: domainId } = await make.domain(owner, { domain: 'https://münchen.example' })
  const { id, alias, shortUrl } = await make.link(owner, { domain: 'münchen.example' })
  expect(shortUrl).toBe(`https://${host}/${alias}`)
  const copied = `data-text="https://münchen.example/${alias}"`
  const list = await person.open(`/console/links?domain=${domainId}`)
  expect(list.body).toContain(`${copied}>münchen.example/${alias}</bdi>`)
  expect(list.body).toMatch(/<option value="\d+"[^>]*>münchen\.example<\/option>/)
  const link = await person.open(`/console/links/${id}`)
  expect(link.body).toContain(`href="https://${host}/${alias}" id="short" ${copied}`)
  expect(link.body).toContain(`<bdi>münchen.example/${alias}</bdi>`)
  const editor = await person.open(`/console/links/${id}/edit`)
  expect(editor.body).toContain(`<option value="${host}" selected>münchen.example/</option>`)
  const domain = await person.open(`/console/domains/${domainId}`)
  expect(domain.body).toContain('<h1><bdi>münchen.example</bdi></h1>')
  expect(domain.body).toContain(`<code>${host}</code>`)
  const details = await request({ url: `/api/url/${id}`, headers: owner.headers })
  expect(details.json().details.shorturl).toBe(shortUrl)
  expect((await request({ url: `/${alias}`, headers: { host } })).statusCode).toBe(302)
  const preview = await request({ url: `/${alias}+`, headers: { host } })
  expect(preview.body).toContain(`<bdi>münchen.example/${alias}</bdi>`)
})
