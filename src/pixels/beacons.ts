import { readFileSync } from 'node:fs'
import { followableHref } from '../target-url.ts'

export type Beacons = (pixels: readonly { type: string; tag: string }[]) => string[]

/**
 * Where each kind of pixel is fired: the operator's JSON file maps a pixel's type to one URL with
 * `{tag}` in it. A type without a template fires nothing, and so does the lack of a file.
 *
 * @throws Error naming the file when it cannot be read or a template is no http or https URL
 */
export function createBeacons(file: string | undefined): Beacons {
  const templates = file === undefined ? new Map<string, string>() : readTemplates(file)
  return (pixels) =>
    pixels.flatMap(({ type, tag }) => {
      const template = templates.get(type)
      return template === undefined ? [] : template.replaceAll('{tag}', encodeURIComponent(tag))
    })
}

function readTemplates(file: string): Map<string, string> {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `PIXELS_FILE ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  const templates = new Map(Object.entries(parsed as Record<string, unknown>))
  for (const [type, template] of templates) {
    const sample = typeof template === 'string' ? template.replaceAll('{tag}', 'x') : ''
    if (!followableHref(sample)) throw new Error(`PIXELS_FILE ${file}: ${type} is not a URL`)
  }
  return templates as Map<string, string>
}
