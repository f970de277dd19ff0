import { MortiseProblem } from '@mortise/client'
import { type Check, failed, ok, warning } from './check.ts'

export const credential: Check = {
  name: 'credential',
  needs: 'service',
  async run({ mortise, settings, terminal: { signal } }) {
    if (!mortise)
      return [failed('There is no credential.', 'Sign in with `mortise login`, or set MORTISE_API_KEY to an API key.')]
    const { source, url, credential: given } = settings
    try {
      if (given && 'session' in given) {
        const { builder } = await mortise.getMyInfo({}, { signal })
        return [ok(`${builder.primaryEmail} is signed in at ${url}.`)]
      }
      await mortise.getProject({}, { signal })
      // What a frontend key may not ask.
      await mortise.listDestinations({}, { signal })
      return [ok(`The API key of ${source} is accepted, with the scope full.`)]
    } catch (error) {
      if (!(error instanceof MortiseProblem)) throw error
      if (error.status === 401)
        return [
          failed(
            `The credential of ${source} is refused: ${error.message}`,
            'Use another API key, or sign in again with `mortise login`.',
          ),
        ]
      if (error.status === 403)
        return [
          warning(
            `The credential of ${source} lacks permissions: ${error.message}`,
            'The command line needs an API key with the scope full.',
          ),
        ]
      // Another check finds out whether the project exists.
      if (error.status === 404) return [ok(`The credential of ${source} is accepted.`)]
      throw error
    }
  },
}
