/**
 * Rows of texts as one text: a row a line, tabs between its fields, in which neither occurs. So a form
 * can hold a list as it holds everything else.
 */
export function writeTable(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(oneLine).join('\t')).join('\n')
}

/** The rows of such a text. */
export function readTable(text: string): string[][] {
  return text === '' ? [] : text.split('\n').map((line) => line.split('\t'))
}

function oneLine(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').trim()
}
