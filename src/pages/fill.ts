import { html, type SafeHtml } from '@remix-run/html-template'

type Values = Readonly<Record<string, string | number>>

/** Replaces placeholders such as `{host}` in a message with values. Keeps unknown placeholders. */
export function fill(message: string, values: Values): string {
  return message.replace(PLACEHOLDER, (text, name: string) => String(values[name] ?? text))
}

/**
 * Replaces placeholders in a message with markup or text. Escapes text. Keeps unknown placeholders.
 */
export function fillHtml(
  message: string,
  values: Readonly<Record<string, SafeHtml | string>>,
): SafeHtml {
  const parts = message.split(/(\{\w+\})/).map((part) => values[part.slice(1, -1)] ?? part)
  return html`${parts}`
}

const PLACEHOLDER = /\{(\w+)\}/g
