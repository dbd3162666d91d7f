import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const DAY = 86_400_000
const SITES = 500
const TAGS = 200
const COUNTRIES = ['Germany', 'France', 'United States', 'Brazil', 'India']
/** The years over which the links were created. */
const AGE_YEARS = 2

/**
 * Writes a JSONL file of links like those of a service after some years: all with titles, a third
 * with tags, half with clicks, and a tenth with clicks by day.
 */
export async function writeLinksFile(path: string, links: number): Promise<void> {
  const file = createWriteStream(path)
  const newest = Math.floor(Date.now() / DAY) * DAY - 4 * DAY
  for (let first = 0; first < links; first += 1000) {
    const lines = Array.from({ length: Math.min(1000, links - first) }, (_, index) =>
      JSON.stringify(linkOf(first + index, newest - ageOf(first + index, links))),
    )
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

/** Returns the age in milliseconds, oldest first. */
function ageOf(number: number, links: number): number {
  return Math.floor(((links - number) / links) * AGE_YEARS * 365 * DAY)
}

function linkOf(number: number, madeAt: number) {
  const site = `site${number % SITES}.example`
  const clicks = number % 2 === 0 ? 1 + ((number * 7919) % 400) : 0
  return {
    alias: `bench-${number}`,
    url: `https://${site}/articles/${number}/a-page-somewhere?from=list`,
    title: `Article number ${number} of ${site}`,
    createdAt: new Date(madeAt).toISOString(),
    ...(number % 3 === 0 && { tags: [`tag ${number % TAGS}`, `topic ${(number * 31) % TAGS}`] }),
    ...(clicks > 0 && { clicks }),
    ...(number % 10 === 0 && { days: daysOf(number, madeAt, clicks) }),
  }
}

/** Returns the first three days, which have all of the clicks. */
function daysOf(number: number, madeAt: number, clicks: number) {
  const parts = [Math.ceil(clicks / 2), Math.floor(clicks / 3)]
  const all = [...parts, clicks - parts.reduce((sum, part) => sum + part, 0)]
  return all.flatMap((count, index) => {
    if (count <= 0) return []
    const day = new Date(madeAt + index * DAY).toISOString()
    return {
      day: day.slice(0, 10),
      clicks: count,
      hours: { [(number + index) % 24]: count },
      countries: { [COUNTRIES[(number + index) % COUNTRIES.length] as string]: count },
      referrers: { [`site${(number * 17) % SITES}.example`]: count },
      browsers: { Chrome: count },
      devices: { mobile: count },
    }
  })
}
