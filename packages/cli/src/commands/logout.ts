import { MortiseProblem, MortiseUnreachable } from '@mortise/client'
import type { AddCommand } from '../command.ts'
import { connectAs } from '../service/connect.ts'
import { NotSignedIn } from '../service/not-signed-in.ts'
import { forgetSession, readSession } from '../service/session-file.ts'
import { readSettings } from '../service/settings.ts'

export const addLogout: AddCommand = (program, terminal) => {
  program
    .command('logout')
    .description('Sign out of a service.')
    .option('--url <origin>', 'the service (MORTISE_URL; default: the last sign-in)')
    .addHelpText('after', '\nExample:\n  mortise logout')
    .action(async (options: { url?: string }) => {
      const { stderr, signal, env } = terminal
      const { url, project } = await readSettings(options, terminal)
      const session = await readSession(env, url)
      if (!session) {
        stderr.write(`You are not signed in to ${url}.\n`)
        return
      }
      try {
        await connectAs({ session }, { url, project }, terminal).endSession({}, { signal })
      } catch (error) {
        if (error instanceof MortiseUnreachable) {
          await forgetSession(env, url)
          const consequence = 'This computer deleted the sign-in. The service accepts it until it expires.'
          throw new MortiseUnreachable(`${error.message}. ${consequence}`, { cause: error })
        }
        // It had ended already.
        if (!(error instanceof NotSignedIn || (error instanceof MortiseProblem && error.status === 401))) throw error
      }
      await forgetSession(env, url)
      stderr.write(`Signed out of ${url}.\n`)
    })
}
