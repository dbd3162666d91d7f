import { describe, expect, test } from 'vitest'
import { csrfField, field } from './field.ts'

describe('field', () => {
  test('associates the label, hint and error with the input', () => {
    const markup = String(
      field({ name: 'email', label: 'Email', autocomplete: 'email', hint: 'H', error: 'E' }),
    )
    expect(markup).toContain('<label for="email">Email</label>')
    expect(markup).toContain('id="email" name="email" required autocomplete="email"')
    expect(markup).toContain('aria-describedby="email-hint email-error" aria-invalid="true"')
    expect(markup).toContain('id="email-hint">H<')
    expect(markup).toContain('id="email-error" role="alert">E<')
  })

  test('references no missing hint or error', () => {
    const markup = String(field({ name: 'a', label: 'A', autocomplete: 'off' }))
    expect(markup).not.toMatch(/aria-|role=|undefined|false/)
  })

  test('keeps a leading line feed', () => {
    const markup = String(
      field({
        name: 'm',
        label: 'M',
        autocomplete: 'off',
        type: 'multiline',
        value: '\n</textarea>',
      }),
    )
    expect(markup).toContain('>\n\n&lt;/textarea&gt;</textarea>')
  })

  test('sets lengths and autofocus', () => {
    const markup = String(
      field({
        name: 'p',
        label: 'P',
        autocomplete: 'off',
        minLength: 8,
        maxLength: 9,
        autofocus: true,
      }),
    )
    expect(markup).toContain('minlength="8" maxlength="9" autofocus')
  })
})

describe('csrfField', () => {
  test('is hidden and escaped, and absent without a token', () => {
    expect(String(csrfField('a"b'))).toBe('<input type="hidden" name="csrf" value="a&quot;b">')
    expect(csrfField(undefined)).toBeNull()
  })
})
