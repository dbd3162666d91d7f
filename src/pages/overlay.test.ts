import { describe, expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { overlayPage, overlayPolicy } from './overlay.ts'

const message = { type: 'message', title: 'News & more' } as const
const form = { action: '/abc', csrf: 'token' }
const destination = 'https://example.com/x'

describe('overlayPage', () => {
  test('shows an open card over the destination that collapses without scripts', () => {
    const document = overlayPage({ ...english, nonce: 'n0nce', destination, card: message, form })
    expect(document).toContain('<iframe src="https://example.com/x" title="example.com"')
    expect(document).toContain('<details class="cta" open>')
    expect(document).toContain('<span class="closed" dir="auto">News &amp; more</span>')
    expect(document).not.toContain('<script')
    expect(document.match(/<style nonce="n0nce">/g)).toHaveLength(2)
  })

  test('uses the meta values of the link', () => {
    const meta = { title: 'My title' }
    const document = overlayPage({ ...english, destination, meta, card: message, form })
    expect(document).toContain('<title>My title</title>')
    expect(document).toContain('property="og:title" content="My title"')
  })
})

describe('overlayPolicy', () => {
  test('allows the frame and the image of an image card', () => {
    const card = { type: 'image', title: 'T', image: 'https://i.example/i.png' } as const
    expect(overlayPolicy({ card })).toEqual({
      frameSrc: ['https:', 'http:'],
      imgSrc: ['https://i.example'],
    })
    expect(overlayPolicy({ card: message }).imgSrc).toEqual([])
  })
})
