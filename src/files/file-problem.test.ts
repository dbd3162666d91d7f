import { expect, test } from 'vitest'
import {
  describeFileProblem,
  describeReadProblem,
  findFolderProblem,
  findWriteProblem,
} from './file-problem.ts'

test('a file problem names the folder, its owner and mode, and the user', () => {
  const error = Object.assign(new Error('denied'), { code: 'EACCES' })
  expect(describeFileProblem('/etc/missing/folder', error)).toMatch(
    /^\/etc\/missing\/folder cannot be written: \/etc belongs to root \(uid 0\) with mode 755, and .*uid \d+.* may not write it \(EACCES\)\. Change its owner/,
  )
})

test('a file problem names a full and a read-only disk', () => {
  const describe = (code: string) =>
    describeFileProblem('/etc', Object.assign(new Error(), { code }))
  expect(describe('ENOSPC')).toMatch(/the disk is full \(ENOSPC, \d+ bytes free\)/)
  expect(describe('EROFS')).toMatch(/read-only \(EROFS; \/etc belongs to root/)
})

test('a file problem names a file where a folder is expected', () => {
  const error = Object.assign(new Error('exists'), { code: 'EEXIST' })
  const expected =
    '/etc/passwd/data cannot be written: /etc/passwd is a file, not a folder. Move it, or choose another DATA_DIR'
  expect(describeFileProblem('/etc/passwd/data', error)).toBe(expected)
  expect(findFolderProblem('/etc/passwd')).toMatch(/\/etc\/passwd is a file, not a folder/)
})

test('a problem of reading names the owner and mode, or a file where a folder is expected', () => {
  const fail = (path: string, code: string) =>
    describeReadProblem(path, Object.assign(new Error(`${code}: odd`), { code }))
  expect(fail('/etc/hostname', 'EACCES')).toMatch(
    /^\/etc\/hostname cannot be read: \/etc\/hostname belongs to root \(uid 0\) with mode \d+, and .* may not read it \(EACCES\)\./,
  )
  expect(fail('/etc/passwd/data', 'ENOTDIR')).toMatch(
    /^\/etc\/passwd\/data cannot be read: \/etc\/passwd is a file, not a folder\./,
  )
  expect(fail('/etc', 'EIO')).toBe('/etc cannot be read: EIO: odd')
})

test('other errors are quoted', () => {
  expect(describeFileProblem('/etc', new Error('odd'))).toBe('/etc cannot be written: odd')
})

test('a missing folder is a problem, and a usable one is none', () => {
  expect(findFolderProblem('/does/not/exist')).toMatch(
    /^\/does\/not\/exist cannot be written: ENOENT/,
  )
  expect(findFolderProblem('/tmp')).toBeUndefined()
  expect(findWriteProblem('/tmp')).toBeUndefined()
})
