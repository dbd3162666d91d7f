import { expect } from 'vitest'
import { textArray } from '../../src/db/arrays.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('`textArray` formats texts so that PostgreSQL reads them unchanged', async ({ app }) => {
  const { pool } = app.services.database
  const texts = ['', 'NULL', '{', '},{', 'a,b', '"', '\\', '\\"\\', ' ', '\n\t', 'é😀\u2028', null]
  const { rows } = await pool.query('select $1::text[] as texts', [textArray(texts)])
  expect(rows).toEqual([{ texts }])
})

test('`textArray` formats numbers, times and nulls so that PostgreSQL reads them unchanged', async ({
  app,
}) => {
  const { pool } = app.services.database
  const moment = new Date('2019-02-03T04:05:06.789Z')
  const { rows } = await pool.query(
    'select $1::float8[] as numbers, $2::timestamptz[] as moments, $3::text[] as none',
    [textArray([1, undefined, 2 ** 52]), textArray([null, moment]), textArray([])],
  )
  expect(rows).toEqual([{ numbers: [1, null, 2 ** 52], moments: [null, moment], none: [] }])
})
