import { deviceCookie, sessionCookie } from './browser.ts'
import { newDevice } from './device.ts'
import type { PageContext, PageServices } from './page-endpoint.ts'
import type { SignInMethod } from './session-store.ts'
import { replaceBrowserSession } from './sessions.ts'
import { rememberNetwork } from './throttle.ts'

/** Signs a browser in, and makes it and its network known for the next sign-in. Returns its cookies. */
export async function signInBrowser(
  services: PageServices,
  { owner, address, userAgent }: Pick<PageContext, 'owner' | 'address' | 'userAgent'>,
  builder: { id: string; email: string },
  method: SignInMethod,
): Promise<string[]> {
  const origin = { address, userAgent }
  const token = await replaceBrowserSession(services, owner, { builderId: builder.id, method, origin, isProven: true })
  await rememberNetwork(services, builder.email, address)
  return [sessionCookie(services, token), deviceCookie(services, newDevice(services, builder.email))]
}
