/** Returns a text as a Lua string literal. */
export function quoteLua(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}
