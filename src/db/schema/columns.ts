import type { ColumnType } from 'kysely'

export type CreatedAt = ColumnType<Date, Date | undefined, never>

/** Written as JSON text, read as a parsed value. */
export type Json<Value> = ColumnType<Value, string, string>

export type JsonDefault<Value> = ColumnType<Value, string | undefined, string>
