import { type Check, failed, warning } from './check.ts'

/** Faults of one service are few; more than these are read with `mortise provider check`. */
const shownMax = 20

export const providerFiles: Check = {
  name: 'provider files',
  needs: 'project',
  async run({ mortise }) {
    const { results } = (await mortise?.listProviderFileFaults()) ?? { results: [] }
    return results.slice(0, shownMax).map(({ file, line, column, message, inUse }) => {
      const detail = `${file}:${line}:${column} ${message}`
      const remedy = 'Correct the file; the service takes it over within seconds, without a restart.'
      return inUse === 'none'
        ? failed(detail, `It is not in use. ${remedy}`)
        : warning(detail, `${inUse === 'user' ? 'Its last good version' : 'The built-in file'} is in use. ${remedy}`)
    })
  },
}
