import { deviceCookie, sessionCookie } from './browser.ts'
import { newDevice } from './device.ts'
import type { PageContext, PageServices } from './page-endpoint.ts'
import { replaceBrowserSession } from './sessions.ts'
import { rememberNetwork } from './throttle.ts'

/** Signs a browser in, and makes it and its network known for the next sign-in. Returns its cookies. */
export async function signInBrowser(
  services: PageServices,
  { owner, address }: Pick<PageContext, 'owner' | 'address'>,
  builder: { id: string; email: string },
): Promise<string[]> {
  const token = await replaceBrowserSession(services, owner, builder.id)
  await rememberNetwork(services, builder.email, address)
  return [sessionCookie(services, token), deviceCookie(services, newDevice(services, builder.email))]
}
