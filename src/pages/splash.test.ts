import { describe, expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { splashPage, splashPolicy } from './splash.ts'

const defaults = { ...english, nonce: 'n0nce', destination: 'https://www.example.com/a?b=1&c=2' }

describe('the default splash page', () => {
  test('shows the host and a button', () => {
    const document = splashPage(defaults)
    expect(document).toContain('You’re about to visit <bdi class="host">www.example.com</bdi>')
    expect(document).toContain('id="onward" href="https://www.example.com/a?b=1&amp;c=2">')
    expect(document).not.toContain('<script')
  })

  test("shows the link's title and description", () => {
    const meta = { title: 'My title', description: 'My text', image: 'https://i.example/i.png' }
    const document = splashPage({ ...defaults, meta })
    expect(document).toContain('<title>My title</title>')
    expect(document).toContain('<h2 dir="auto">My title</h2>')
    expect(document).toContain('My text</p>')
    expect(document).toContain('property="og:image" content="https://i.example/i.png"')
  })
})

describe('a custom splash page', () => {
  const custom = { title: 'Thanks', message: 'Bye & all', image: 'https://i.example:8443/i.png' }

  test('shows its title, message and image, and allows the image', () => {
    const document = splashPage({ ...defaults, custom })
    expect(document).toContain('<h1 dir="auto">Thanks</h1>')
    expect(document).toContain('Bye &amp; all</p>')
    expect(document).toContain('<img class="picture" src="https://i.example:8443/i.png" alt="">')
    expect(splashPolicy({ custom })).toEqual({ imgSrc: ['https://i.example:8443'] })
  })

  test('omits missing parts', () => {
    const document = splashPage({ ...defaults, custom: { title: 'T', image: 'data:image/png,x' } })
    expect(document).not.toContain('<img')
    expect(splashPolicy({})).toEqual({ imgSrc: [] })
  })
})

describe('the countdown', () => {
  test('is hidden until the script runs, and the script contains no texts', () => {
    const document = splashPage({ ...defaults, seconds: 5.9 })
    expect(document).toContain('id="countdown" hidden')
    expect(document).toContain('<bdi id="left" data-seconds="5">5 sec</bdi>')
    expect(document).toContain('<script nonce="n0nce">')
    expect(document.split('<script')[1]).not.toContain('example.com')
  })

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('is omitted for %d', (seconds) => {
    expect(splashPage({ ...defaults, seconds })).not.toContain('<script')
  })

  test('lasts five minutes at most', () => {
    expect(splashPage({ ...defaults, seconds: 1e9 })).toContain('data-seconds="300"')
  })
})
