/** Yields a JSON object on one line with a list under `name`, reading the list on demand. */
export async function* generateJsonList<Entry>(
  name: string,
  entries: AsyncIterable<Entry>,
  present: (entry: Entry) => unknown,
): AsyncGenerator<string> {
  let separator = `{${JSON.stringify(name)}:[`
  for await (const entry of entries) {
    yield separator + JSON.stringify(present(entry))
    separator = ','
  }
  yield separator === ',' ? ']}\n' : `${separator}]}\n`
}
