import { isFirstOwnerToken, setUpFirstOwner } from '../first-owner.ts'
import { readNewAccount } from '../new-account.ts'
import { consolePath } from '../next-path.ts'
import { sentForm } from '../page-endpoint.ts'
import { setupPage } from '../pages/setup-page.ts'
import { signInBrowser } from '../sign-in-browser.ts'
import { signedIn } from '../signed-in.ts'
import { setupLinkUsed } from './show-setup-page.ts'

export const submitSetup = sentForm({
  id: 'submitSetup',
  path: '//signin/setup',
  audit: { verb: 'create', resource: 'first-owner' },
  beforeSecondFactor: true,
  summary: 'Create the first account.',
  run: async (context, services) => {
    const { form, formToken } = context
    const token = form.get('token') ?? ''
    // Check the link before hashing the password, which is expensive.
    if (!(await isFirstOwnerToken(services.database.system, services.keyring, token))) return setupLinkUsed()
    const account = await readNewAccount(form)
    if ('fault' in account) return setupPage({ formToken, token, fault: account.fault })
    const { email, fullName } = account
    const made = await setUpFirstOwner(services, {
      token,
      email,
      fullName,
      password: await services.passwords.hash(account.password),
    })
    if (!made) return setupLinkUsed()
    context.note(signedIn({ id: made.builderId, email }))
    const owner = { id: made.builderId, email }
    return { to: consolePath, cookies: await signInBrowser(services, context, owner, 'password') }
  },
})
