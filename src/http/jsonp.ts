const CALLBACK = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d{1,9}\])*$/

/** Returns whether `name` is a valid JSONP function name, rather than code. */
export function isCallback(name: string): boolean {
  return name.length <= 200 && CALLBACK.test(name)
}

/**
 * Returns a script that calls `callback` with `data`. It starts with a comment, so that callers
 * cannot choose the first bytes of the reply. U+2028 and U+2029 are escaped, because older
 * JavaScript treats them as line breaks.
 */
export function wrapJsonp(callback: string, data: object): string {
  const json = JSON.stringify(data)
  const escaped = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `/**/${callback}(${escaped})`
}
