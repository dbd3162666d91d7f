/** No form has as many fields. Reading the 40,000 that 2 MiB can hold took 1.5 s. */
const MOST_PARTS = 64
/** What stands before each part but the first, whichever boundary the form has. */
const BEFORE_PART = '\r\n--'

/**
 * The fields of a `multipart/form-data` body that is small and in memory already (RFC 7578).
 *
 * @throws Error if it is not of that type, or has more parts than a form has fields
 */
export async function readFormData(contentType: string, body: Buffer): Promise<FormData> {
  let parts = 0
  for (let at = body.indexOf(BEFORE_PART); at !== -1; at = body.indexOf(BEFORE_PART, at + 1)) {
    parts += 1
    if (parts > MOST_PARTS) throw new Error('a form of too many parts')
  }
  const headers = { 'content-type': contentType }
  return new Response(new Uint8Array(body), { headers }).formData()
}
