import { expect, it } from 'vitest'
import { createPasswords } from './password.ts'

const password = 'correct horse battery'

it('a password is stored as a hash of its own that takes 32 MB, three times over', async () => {
  const { hash, verify } = createPasswords()
  const [stored, again] = [await hash(password), await hash(password)]
  expect(stored).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  expect(again).not.toBe(stored)
  expect(await verify(stored, password)).toBe(true)
  expect(await verify(stored, `${password}.`)).toBe(false)
})

it('a password that nobody has costs as much to check as one that somebody has', async () => {
  const { hash, verify } = createPasswords()
  const cpuOf = async (stored: string | null) => {
    const before = process.cpuUsage()
    expect(await verify(stored, 'another password')).toBe(false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const somebodys = await cpuOf(await hash(password))
  expect(await cpuOf(null)).toBeGreaterThan(somebodys / 3)
})

it('what was stored at another cost is still the password', async () => {
  const stored = await createPasswords({ N: 2 ** 10, r: 8, p: 1 }).hash(password)
  expect(stored).toMatch(/^scrypt\$1024\$8\$1\$/)
  expect(await createPasswords().verify(stored, password)).toBe(true)
})
