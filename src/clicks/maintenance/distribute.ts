import pg from 'pg'

/**
 * The tables whose rows belong to one link each: every key in them begins with the link, and no
 * foreign key touches them. Everything else stays on the coordinator.
 */
export const SPREAD_TABLES = [
  'click_totals',
  'click_days',
  'click_details',
  'click_visitors',
  'clicks',
] as const

type SpreadTable = (typeof SPREAD_TABLES)[number]

/**
 * Spreads the tables of clicks over the machines of a Citus cluster, by link, so that all of a link's
 * rows lie together. Tables that are spread already are left alone, so that a run that was cut short
 * can be repeated. Gives the names of those that were spread now.
 *
 * @throws Error if the database has no Citus extension, no machines to spread to, or no schema.
 */
export async function distribute(databaseUrl: string): Promise<SpreadTable[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'brevis cluster',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await requireCluster(client)
    const done = await listSpread(client)
    const pending = SPREAD_TABLES.filter((table) => !done.has(table))
    for (const table of pending) {
      for (const statement of distributionOf(table)) await client.query(statement)
    }
    return pending
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * What spreads one table. Its rows are copied to the machines; the second statement then frees the
 * place that they still take on the coordinator.
 * https://docs.citusdata.com/en/stable/develop/api_udf.html
 */
export function distributionOf(table: SpreadTable): string[] {
  const [first] = SPREAD_TABLES
  const companion = table === first ? 'none' : first
  return [
    `select create_distributed_table('${table}', 'link_id', colocate_with => '${companion}')`,
    `select truncate_local_data_after_distributing_table('${table}')`,
  ]
}

async function requireCluster(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ citus: boolean; schema: boolean }>(
    `select exists (select from pg_extension where extname = 'citus') as citus,
            to_regclass('clicks') is not null as schema`,
  )
  if (!rows[0]?.citus) {
    throw new Error('This database has no Citus extension, so there is nothing to spread over.')
  }
  if (!rows[0].schema) throw new Error('The database has no schema yet. Run npx brevis migrate.')
  const nodes = await client.query('select from pg_dist_node where isactive and shouldhaveshards')
  if (nodes.rowCount === 0) {
    throw new Error('The cluster has no machines yet. Add them with citus_add_node.')
  }
}

async function listSpread(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
  )
  return new Set(rows.map(({ name }) => name))
}
