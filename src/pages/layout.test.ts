import { html } from '@remix-run/html-template'
import { describe, expect, test } from 'vitest'
import { page } from './layout.ts'

const defaults = { title: 'A & B', nonce: 'n0nce', body: html`<h1>Hello</h1>` }

describe('page', () => {
  test('is a complete document around the body', () => {
    const document = page(defaults)
    expect(document).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(document).toContain('<title>A &amp; B</title>')
    expect(document).toMatch(/<main>\s*<h1>Hello<\/h1>\s*<\/main>/)
    expect(document).toContain(
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
    )
    expect(document).toContain('Brevis</p></footer>')
  })

  test('has the nonce on its style and references no other site', () => {
    const document = page(defaults)
    expect(document).toContain('<style nonce="n0nce">')
    expect(document).not.toMatch(/https?:/)
    expect(document).not.toMatch(/ style="/)
  })

  test('is excluded from search engines by default', () => {
    expect(page(defaults)).toContain('<meta name="robots" content="noindex">')
    expect(page({ ...defaults, indexed: true })).not.toContain('noindex')
  })

  test('can fill the window without a footer', () => {
    const document = page({ ...defaults, width: 'bleed' })
    expect(document).toContain('<body class="bleed">')
    expect(document).not.toContain('<footer>')
  })

  test('has a language with its direction, and additional head content', () => {
    const document = page({ ...defaults, language: 'ar', head: html`<meta name="x">` })
    expect(document).toContain('<html lang="ar" dir="rtl">')
    expect(page({ ...defaults, language: 'zh' })).toContain('<html lang="zh-Hans">')
    expect(document).toContain('<meta name="x">')
  })
})
