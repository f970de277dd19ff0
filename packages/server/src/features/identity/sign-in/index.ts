import { confirmPasswordChange } from './jobs/confirm-password-change.ts'
import { sendPasswordReset } from './jobs/send-password-reset.ts'
import { warnOwner } from './jobs/warn-owner.ts'
import { changePassword } from './operations/change-password.ts'
import { completePasswordReset } from './operations/complete-password-reset.ts'
import { createPasswordReset } from './operations/create-password-reset.ts'
import { createSession } from './operations/create-session.ts'
import { endSession } from './operations/end-session.ts'
import { exchangeSignInCode } from './operations/exchange-sign-in-code.ts'
import { finishSingleSignOn } from './operations/finish-single-sign-on.ts'
import { getClient } from './operations/get-client.ts'
import { listTokenKeys } from './operations/list-token-keys.ts'
import { refreshSession } from './operations/refresh-session.ts'
import { requestPasswordReset } from './operations/request-password-reset.ts'
import { showAmpCliPage } from './operations/show-amp-cli-page.ts'
import { showCliConsentPage } from './operations/show-cli-consent-page.ts'
import { showForgotPage } from './operations/show-forgot-page.ts'
import { showInvitePage } from './operations/show-invite-page.ts'
import { showResetPage } from './operations/show-reset-page.ts'
import { showSetupPage } from './operations/show-setup-page.ts'
import { showSignInPage } from './operations/show-sign-in-page.ts'
import { showSignedInPage } from './operations/show-signed-in-page.ts'
import { startSingleSignOn } from './operations/start-single-sign-on.ts'
import { submitAmpCli } from './operations/submit-amp-cli.ts'
import { submitCliConsent } from './operations/submit-cli-consent.ts'
import { submitForgot } from './operations/submit-forgot.ts'
import { submitInvite } from './operations/submit-invite.ts'
import { submitReset } from './operations/submit-reset.ts'
import { submitSetup } from './operations/submit-setup.ts'
import { submitSignIn } from './operations/submit-sign-in.ts'
import { submitSignOut } from './operations/submit-sign-out.ts'

export { createBuilderTokens } from './builder-token.ts'
export { firstOwnerLink } from './first-owner.ts'
export { hasGuessablePassword } from './guessable.ts'
export { newOperatorReset, type OperatorReset } from './operator-reset.ts'
export { createPasswords, type PasswordCost } from './password.ts'
export { startSession } from './sessions.ts'
export { signInTicks } from './sign-in-ticks.ts'
export { createSingleSignOn } from './single-sign-on.ts'

export const signInOperations = [
  createSession,
  refreshSession,
  exchangeSignInCode,
  endSession,
  changePassword,
  requestPasswordReset,
  createPasswordReset,
  completePasswordReset,
  getClient,
  listTokenKeys,
  showSignInPage,
  submitSignIn,
  showForgotPage,
  submitForgot,
  showResetPage,
  submitReset,
  showSignedInPage,
  submitSignOut,
  showSetupPage,
  submitSetup,
  showInvitePage,
  submitInvite,
  showCliConsentPage,
  submitCliConsent,
  showAmpCliPage,
  submitAmpCli,
  startSingleSignOn,
  finishSingleSignOn,
]
export const signInJobs = [warnOwner, sendPasswordReset, confirmPasswordChange]
