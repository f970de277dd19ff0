import { expect, it } from 'vitest'
import { inexactVersions, installScripts, lockedPackages, unpinned } from './supply-chain.ts'

it('the lockfile pins every package with a SHA-512 hash', () => {
  const packages = lockedPackages()
  expect(packages.length).toBeGreaterThan(0)
  expect(unpinned(packages)).toEqual([])
})

it('allowScripts decides on every package with an install script, and on no other', () => {
  const { present, decided } = installScripts(lockedPackages())
  expect(decided).toEqual(present)
})

it('every version that runs is exact', () => {
  expect(inexactVersions()).toEqual([])
})
