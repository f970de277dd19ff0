import { afterAll, vi } from 'vitest'

/** Test files share their workers: what one of them changed for the whole process is put back before the next one begins. */
const env = { ...process.env }
const folder = process.cwd()

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  if (process.cwd() !== folder) process.chdir(folder)
})
