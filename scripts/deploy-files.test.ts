import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { serviceEnvironment } from './service-flags.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')
const launcher = read('scripts/launch.mjs') + read('scripts/service-flags.mjs')

/** What stands behind `npm start`, said once more where npm is not used. */
describe.each([
  ['deploy/mortise.service', /^ExecStart=\S+ (.+)$/m],
  ['Dockerfile', /^CMD \["node", (.+)\]$/m],
])('%s', (file, command) => {
  const words = (command.exec(read(file))?.[1] ?? '').replace(/[",]/g, ' ').split(/\s+/).filter(Boolean)

  it('starts the service with the flags of npm start', () => {
    const flags = [...launcher.matchAll(/'(--(?:max|initial|v8|disable|conditions)[\w-]*=[\w-]+)'/g)].map(
      ([, flag]) => flag,
    )
    expect(words.filter((word) => word.startsWith('--')).toSorted()).toEqual(
      [...new Set(flags)].filter((flag) => flag !== undefined).toSorted(),
    )
  })

  it('gives it the environment of npm start', () => {
    for (const [name, value] of Object.entries(serviceEnvironment)) expect(read(file)).toContain(`${name}=${value}`)
  })

  it('starts a file that is there', () => {
    expect(existsSync(`${root}${words.at(-1)}`)).toBe(true)
  })
})
