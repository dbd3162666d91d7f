import { describe, expect, test } from 'vitest'
import type { RuleVisitor } from './conditions.ts'
import { chooseDestination, listTargets, type Rule, readRules, replaceTargets } from './rule.ts'

const now = new Date('2026-11-23T12:00:00Z')
const visitor: RuleVisitor = {
  country: () => 'DE',
  hasDevice: (name) => name === 'mobile',
  bestLanguage: (languages) => Math.max(languages.indexOf('fr'), languages.indexOf('de')),
  browser: () => 'Firefox',
  os: () => 'Windows 10',
  query: (name) => (name === 'utm_source' ? ['news', 'other'] : []),
}
const choose = (rules: Rule[]) => chooseDestination(rules, 'otherwise', visitor, now)

describe('the rules of a link', () => {
  test('select the destination of the first rule whose conditions are all met', () => {
    expect(
      choose([
        { when: { country: 'DE', device: 'desktop' }, to: 'a' },
        { when: { country: 'DE', device: 'mobile', browser: 'Firefox' }, to: 'b' },
        { when: { country: 'DE' }, to: 'c' },
      ]),
    ).toBe('b')
    expect(choose([{ when: { country: 'FR' }, to: 'a' }])).toBe('otherwise')
    expect(choose([])).toBe('otherwise')
  })

  test.each<[Rule['when'], boolean]>([
    [{ browser: 'Firefox' }, true],
    [{ browser: 'Chrome' }, false],
    [{ os: 'Windows' }, true],
    [{ os: 'Windows 10' }, true],
    [{ os: 'Windows 1' }, false],
    [{ query: { utm_source: 'other' } }, true],
    [{ query: { utm_source: 'news', ref: 'x' } }, false],
    [{ time: { days: ['mon'], zone: 'UTC' } }, true],
    [{ time: { from: '12:01', zone: 'UTC' } }, false],
    [{ language: 'de' }, true],
    [{ language: 'es' }, false],
    [{ country: ['AT', 'DE', 'CH'] }, true],
    [{ country: ['AT', 'CH'] }, false],
    [{ device: ['ipad', 'mobile'], browser: ['Chrome', 'Firefox'] }, true],
    [{ device: ['ipad', 'mobile'], browser: ['Chrome', 'Edge'] }, false],
    [{ os: ['iOS', 'Windows'] }, true],
    [{ language: ['es', 'de'] }, true],
    [{ language: ['es', 'it'] }, false],
  ])('with the conditions %j match: %s', (when, isMatch) => {
    expect(choose([{ when, to: 'a' }])).toBe(isMatch ? 'a' : 'otherwise')
  })

  test("with only a language, if consecutive, match the visitor's best language among them", () => {
    const rules = [
      { when: { language: 'de' }, to: 'a' },
      { when: { language: 'fr' }, to: 'b' },
    ]
    expect(choose(rules)).toBe('b')
    expect(
      choose([
        { when: { language: ['es', 'de'] }, to: 'a' },
        { when: { language: ['it', 'fr'] }, to: 'b' },
      ]),
    ).toBe('b')
    expect(choose([...rules.slice(0, 1), { when: { country: 'FR' }, to: 'x' }])).toBe('a')
  })

  test('with an unknown condition do not match', () => {
    expect(choose([{ when: { weather: 'sunny' } as Rule['when'], to: 'a' }])).toBe('otherwise')
  })
})

describe('a list of targets', () => {
  const mixedRules: Rule[] = [
    { when: { query: { a: 'b' } }, to: 'q' },
    { when: { device: 'mobile' }, to: 'm' },
    { when: { country: 'DE', device: 'mobile' }, to: 'dm' },
    { when: { language: 'de' }, to: 'l' },
  ]
  const frenchTarget = { name: 'FR', link: 'f' }

  test('contains only rules of its kind', () => {
    expect(listTargets(mixedRules, 'device')).toEqual([{ name: 'mobile', link: 'm' }])
    expect(listTargets(mixedRules, 'country')).toEqual([])
  })

  test('replaces the rules of its kind in place', () => {
    expect(replaceTargets(mixedRules, 'device', []).map(({ to }) => to)).toEqual(['q', 'dm', 'l'])
    const replaced = replaceTargets(mixedRules, 'device', [{ name: 'ipad', link: 'i' }])
    expect(replaced.map(({ to }) => to)).toEqual(['q', 'i', 'dm', 'l'])
  })

  test('is inserted in the order country, device, language', () => {
    expect(replaceTargets(mixedRules, 'country', [frenchTarget]).map(({ to }) => to)).toEqual([
      'q',
      'f',
      'm',
      'dm',
      'l',
    ])
    const combined = replaceTargets(
      replaceTargets([{ when: { language: 'de' }, to: 'l' }], 'country', [frenchTarget]),
      'device',
      [{ name: 'ipad', link: 'i' }],
    )
    expect(combined.map(({ to }) => to)).toEqual(['f', 'i', 'l'])
  })
})

test('a rule with very many unknown conditions is rejected for the first one', async () => {
  const names = Array.from({ length: 300_000 }, (_, index) => [`unknown${index}`, 'x'])
  const entries = [{ when: Object.fromEntries(names), to: 'https://example.com/' }]
  const options = { max: 1, checkUrl: (_field: string, url: string) => url }
  await expect(readRules(entries, options)).rejects.toMatchObject({
    field: 'rules[0].when.unknown0',
    others: [],
  })
})
