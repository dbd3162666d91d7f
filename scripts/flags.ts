import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import countries from 'i18n-iso-countries/index.js'
import { readArguments } from './arguments.ts'

readArguments(`Usage: npm install --no-save country-flag-icons@1.6.20 && bin/node scripts/flags.ts

Writes src/http/console/flags.json from the flags of country-flag-icons.`)

const folder = new URL('../node_modules/country-flag-icons/3x2/', import.meta.url)

const flags = Object.keys(countries.getAlpha2Codes())
  .toSorted()
  .flatMap((code) => {
    const file = new URL(`${code}.svg`, folder)
    return existsSync(file) ? [[code, readFlag(file)] as const] : []
  })

const text = `${JSON.stringify(Object.fromEntries(flags), null, 2)}\n`
writeFileSync(new URL('../src/http/console/flags.json', import.meta.url), text)
console.log(`${flags.length} flags, ${text.length} bytes`)

function readFlag(file: URL): string {
  const svg = readFileSync(file, 'utf8').replace(/\s+/g, ' ').trim()
  if (!/^<svg [^`$\\]*<\/svg>$/.test(svg) || /<script|<style|href=|\son/i.test(svg)) {
    throw new Error(`${file.pathname} contains more than shapes`)
  }
  return svg
}
