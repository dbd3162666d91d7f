/**
 * Rejects secrets in the text of `.env` that an unquoted # without a space before it would cut off.
 *
 * @throws Error with one line per secret, without showing any part of it
 */
export function rejectCutSecrets(text: string, names: readonly string[]): void {
  const problems = names
    .filter((name) => isCut(text, name))
    .map(
      (name) =>
        `${name} in .env has a # that begins a comment. Put the value in quotes, and in a URL, percent-encode the # as %23`,
    )
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

function isCut(text: string, name: string): boolean {
  const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(.*)$`, 'm').exec(text)
  const value = line?.[1] ?? ''
  const isQuoted = /^['"`]/.test(value)
  return !isQuoted && /^#\S|\S#/.test(value.slice(0, value.indexOf('#') + 2))
}
