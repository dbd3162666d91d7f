/**
 * Matches tokens that may contain a semicolon (strings, names, dollar quotes and comments), a
 * single semicolon, or any other character.
 */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*|)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;|[\s\S]/g

/**
 * Splits an SQL file into statements. Omits the semicolons between them, and statements that
 * contain only comments. Supports standard quotes and dollar quotes, but not strings with
 * backslashes, nested comments or `begin atomic` bodies.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let statement = ''
  let hasCode = false
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') {
      if (hasCode) statements.push(statement.trim())
      statement = ''
      hasCode = false
      continue
    }
    statement += token
    hasCode ||= !/^(\s|--|\/\*)/.test(token)
  }
  if (hasCode) statements.push(statement.trim())
  return statements
}
