const CALLBACK = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d{1,9}\])*$/

/** Whether `name` is that of a function, as JSONP may call it, and not a script of somebody's. */
export function isCallback(name: string): boolean {
  return name.length <= 200 && CALLBACK.test(name)
}

/**
 * The script that gives `data` to the function `callback`. It begins with a comment, so that nobody
 * chooses the first bytes of what this host sends; older JavaScript takes U+2028 for the end of a line.
 */
export function jsonp(callback: string, data: object): string {
  const json = JSON.stringify(data)
  const escaped = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `/**/${callback}(${escaped})`
}
