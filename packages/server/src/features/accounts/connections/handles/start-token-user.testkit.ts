import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TokenUserSettings, Use, Used } from './token-user.testkit.ts'

export interface TokenUser extends AsyncDisposable {
  ask(use: Use): Promise<Used>
  /** Ends it as a crash does: nothing is closed. */
  kill(): Promise<void>
}

/** Starts a process that uses connections; answers when it is ready. */
export async function startTokenUser(settings: TokenUserSettings): Promise<TokenUser> {
  const child = fork(fileURLToPath(new URL('./token-user.testkit.ts', import.meta.url)), [JSON.stringify(settings)], {
    execArgv: ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning'],
  })
  const ended = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`the process ended with ${code}`)
    }),
  ])
  return {
    async ask(use) {
      const answer = once(child, 'message')
      child.send(use)
      return (await answer)[0] as Used
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
