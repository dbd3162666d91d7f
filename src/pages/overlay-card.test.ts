import { describe, expect, test } from 'vitest'
import { type OverlayCard, type OverlayForm, overlayContent } from './overlay-card.ts'

const emptyForm: OverlayForm = { action: '/abc', csrf: 'token' }
const render = (card: OverlayCard, form = emptyForm) => String(overlayContent('en', card, form))

const contact: OverlayCard = { type: 'contact', title: 'Write to us', text: 'Soon.' }
const newsletter: OverlayCard = { type: 'newsletter', title: 'Letter' }
const poll: OverlayCard = { type: 'poll', title: 'Tea?', options: ['Yes', 'No & never'] }

describe('the cards with a form', () => {
  test.each([contact, newsletter, poll])('$type posts to the short URL with the token', (card) => {
    const markup = render(card)
    expect(markup).toContain('<form method="post" action="/abc">')
    expect(markup).toContain('<input type="hidden" name="csrf" value="token">')
    expect(markup).toContain(`<h2 dir="auto">${card.title}</h2>`)
  })

  test.each([contact, newsletter, poll])('$type shows a thank-you instead of the form', (card) => {
    const markup = render(card, { ...emptyForm, done: true })
    expect(markup).toContain('Thank you')
    expect(markup).not.toContain('<form')
  })

  test.each([contact, newsletter, poll])('$type shows a form error', (card) => {
    const markup = render(card, { ...emptyForm, errors: { form: 'Not sent.' } })
    expect(markup).toContain('role="alert">Not sent.</p>')
  })

  test('contact has name, email and message fields with the submitted values', () => {
    const values = { name: 'Ada', email: 'a@b', message: 'Hi <you>' }
    const markup = render(contact, { ...emptyForm, values, errors: { email: 'Not valid.' } })
    expect(markup).toMatch(/value="Ada" id="name" name="name" required autocomplete="name"/)
    expect(markup).toMatch(/value="a@b" id="email" name="email" required autocomplete="email"/)
    expect(markup).toContain('Hi &lt;you&gt;</textarea>')
    expect(markup).toContain('id="email-error" role="alert">Not valid.')
    expect(markup).toContain('>Send</button>')
  })

  test('newsletter has only an email field', () => {
    const markup = render({ ...newsletter, button: 'Sign me up' })
    expect(markup).toContain('name="email"')
    expect(markup).not.toContain('name="message"')
    expect(markup).toContain('>Sign me up</button>')
  })

  test('poll identifies options by index', () => {
    const form = { ...emptyForm, values: { choice: '1' }, errors: { choice: 'Please choose.' } }
    const markup = render(poll, form)
    expect(markup).toContain('<legend class="hidden-text">Tea?</legend>')
    expect(markup).toContain('name="choice" value="0" required><span dir="auto">Yes</span>')
    expect(markup).toContain('value="1" required checked><span dir="auto">No &amp; never</span>')
    expect(markup).toContain('<fieldset aria-describedby="choice-error">')
    expect(markup).toContain('id="choice-error" role="alert">Please choose.')
  })
})

describe('the cards without a form', () => {
  test('message has a button to its link', () => {
    const link = 'https://example.com/'
    expect(render({ type: 'message', title: 'T', link })).toContain(
      '<a class="button full" href="https://example.com/">Learn more</a>',
    )
  })

  test('message without an http URL has no button', () => {
    expect(render({ type: 'message', title: 'T', button: 'B' })).not.toContain('<a')
    expect(render({ type: 'message', title: 'T', link: 'javascript:x' })).not.toContain('<a')
  })

  test('image is described by its title or alternative text, and links to its URL', () => {
    const image = 'https://i.example/i.png'
    const markup = render({ type: 'image', title: 'Sale', image, link: 'https://example.com/' })
    expect(markup).toContain(
      '<a href="https://example.com/"><img src="https://i.example/i.png" alt="Sale"></a>',
    )
    expect(render({ type: 'image', title: 'Sale', image, alt: 'A tree' })).toContain('alt="A tree"')
    expect(render({ type: 'image', title: 'Sale', image })).not.toContain('<a')
  })
})
