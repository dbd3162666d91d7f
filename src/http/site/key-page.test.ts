import { expect, test } from 'vitest'
import { renderApiKeyPage } from './key-page.ts'

test('the page shows the key and an example call', () => {
  const document = renderApiKeyPage({
    nonce: 'n0nce',
    username: 'ada',
    key: 'brv_secret',
    baseUrl: 'https://s.example',
  })
  expect(document).toContain('<code class="key" id="key">brv_secret</code>')
  expect(document).toContain(
    "curl -H 'Authorization: Bearer brv_secret' \\\nhttps://s.example/api/account",
  )
  expect(document).toContain('It has full access to your account')
})

test('the page does not put the key into the script, and hides the copy button until the script runs', () => {
  const document = renderApiKeyPage({
    nonce: 'n0nce',
    username: 'a',
    key: 'brv_secret',
    baseUrl: '',
  })
  const script = /<script nonce="n0nce">([\s\S]*)<\/script>/.exec(document)?.[1]
  expect(script).toContain('clipboard')
  expect(script).not.toContain('brv_secret')
  expect(document).toContain('id="copy" hidden>')
})

test('the page escapes the username', () => {
  const document = renderApiKeyPage({ nonce: 'n', username: '<i>', key: 'brv_secret', baseUrl: '' })
  expect(document).toContain('Welcome, &lt;i&gt;<')
})
