import { type Client, type Input, MortiseProblem, type Output } from '@mortise/client'
import { waitUntil } from '../following/wait-until.ts'
import type { Terminal } from '../terminal/terminal.ts'

export type PageRequest = Input<'createConnectSession'>['body']

/**
 * Connects an account on a page of the service, whatever way the provider authenticates in, and waits until the
 * connection is there. A credential that is refused is corrected on the page.
 */
export async function connectWithPage(
  mortise: Client,
  { browse, stderr, signal }: Terminal,
  { request, openBrowser }: { request: PageRequest; openBrowser: boolean },
): Promise<Output<'getConnection'>> {
  const { id, url } = await mortise.createConnectSession({ body: request }, { signal })
  if (openBrowser) {
    stderr.write(`Connect the account in your browser. If it does not open, open this address:\n${url}\n`)
    await browse(url).catch(() => {})
  } else stderr.write(`Open this page in a browser:\n${url}\n`)
  const look = async () => {
    try {
      return await mortise.getConnectSession({ connectSessionId: id }, { signal })
    } catch (error) {
      if (error instanceof MortiseProblem && error.status === 404)
        throw new Error('The account was not connected within half an hour. Run the command again.')
      throw error
    }
  }
  const { connectionId } = await waitUntil(look, (session) => session.connectionId !== undefined, signal)
  if (connectionId === undefined) throw new Error('The session names no connection.')
  return await mortise.getConnection({ connectionId }, { signal })
}
