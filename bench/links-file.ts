import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const DAY = 86_400_000
const SITES = 500
const TAGS = 200
const COUNTRIES = ['Germany', 'France', 'United States', 'Brazil', 'India']
/** The links were created over this many years. */
const AGE_YEARS = 2

/**
 * Writes a JSONL file like an export of a service that is two years old. All links have titles, a
 * third have tags, half have clicks, and a tenth have daily clicks.
 */
export async function writeLinksFile(path: string, links: number): Promise<void> {
  const file = createWriteStream(path)
  // The daily clicks of a link cover its first three days, which must be in the past.
  const newestMs = Math.floor(Date.now() / DAY) * DAY - 4 * DAY
  for (let first = 0; first < links; first += 1000) {
    const lines = Array.from({ length: Math.min(1000, links - first) }, (_, index) =>
      JSON.stringify(createLink(first + index, newestMs - ageMs(first + index, links))),
    )
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

/** Returns the age of a link in milliseconds. The first link is the oldest. */
function ageMs(index: number, links: number): number {
  return Math.floor(((links - index) / links) * AGE_YEARS * 365 * DAY)
}

function createLink(index: number, createdAtMs: number) {
  const site = `site${index % SITES}.example`
  const clicks = index % 2 === 0 ? 1 + ((index * 7919) % 400) : 0
  return {
    alias: `bench-${index}`,
    url: `https://${site}/articles/${index}/a-page-somewhere?from=list`,
    title: `Article number ${index} of ${site}`,
    createdAt: new Date(createdAtMs).toISOString(),
    ...(index % 3 === 0 && { tags: [`tag ${index % TAGS}`, `topic ${(index * 31) % TAGS}`] }),
    ...(clicks > 0 && { clicks }),
    ...(index % 10 === 0 && { days: createDays(index, createdAtMs, clicks) }),
  }
}

/** Spreads a link's clicks over its first three days: a half, a third, and the rest. */
function createDays(index: number, createdAtMs: number, clicks: number) {
  const parts = [Math.ceil(clicks / 2), Math.floor(clicks / 3)]
  const counts = [...parts, clicks - parts.reduce((sum, part) => sum + part, 0)]
  return counts.flatMap((count, offset) => {
    if (count <= 0) return []
    const day = new Date(createdAtMs + offset * DAY).toISOString()
    return {
      day: day.slice(0, 10),
      clicks: count,
      hours: { [(index + offset) % 24]: count },
      countries: { [COUNTRIES[(index + offset) % COUNTRIES.length] as string]: count },
      referrers: { [`site${(index * 17) % SITES}.example`]: count },
      browsers: { Chrome: count },
      devices: { mobile: count },
    }
  })
}
