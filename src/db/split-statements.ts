/** What may hold a semicolon that ends nothing: strings, names, dollar quotes and comments. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*|)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;|[\s\S]/g

/**
 * The statements of a file of SQL, in order, without the semicolons between them and without what is
 * nothing but comments. It knows the quotes of the standard and PostgreSQL's dollar quotes, but no
 * strings with backslashes, nested comments or bodies in `begin atomic`.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let statement = ''
  let hasWords = false
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') {
      if (hasWords) statements.push(statement.trim())
      statement = ''
      hasWords = false
      continue
    }
    statement += token
    hasWords ||= !/^(\s|--|\/\*)/.test(token)
  }
  if (hasWords) statements.push(statement.trim())
  return statements
}
