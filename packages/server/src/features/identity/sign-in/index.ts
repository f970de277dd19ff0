import { beginPasskey } from './endpoints/begin-passkey.ts'
import { beginTotp } from './endpoints/begin-totp.ts'
import { changePassword } from './endpoints/change-password.ts'
import { completePasswordReset } from './endpoints/complete-password-reset.ts'
import { confirmEnroll } from './endpoints/confirm-enroll.ts'
import { confirmPasskey } from './endpoints/confirm-passkey.ts'
import { confirmTotp } from './endpoints/confirm-totp.ts'
import { createConsoleToken } from './endpoints/create-console-token.ts'
import { createMyProof } from './endpoints/create-my-proof.ts'
import { createPasswordReset } from './endpoints/create-password-reset.ts'
import { createSession } from './endpoints/create-session.ts'
import { deleteMyFactor } from './endpoints/delete-my-factor.ts'
import { deleteMySession } from './endpoints/delete-my-session.ts'
import { deleteOrgBuilderFactors } from './endpoints/delete-org-builder-factors.ts'
import { endOtherSessions } from './endpoints/end-other-sessions.ts'
import { endSession } from './endpoints/end-session.ts'
import { exchangeSignInCode } from './endpoints/exchange-sign-in-code.ts'
import { finishSingleSignOn } from './endpoints/finish-single-sign-on.ts'
import { getClient } from './endpoints/get-client.ts'
import { listMyFactors } from './endpoints/list-my-factors.ts'
import { listMySessions } from './endpoints/list-my-sessions.ts'
import { listTokenKeys } from './endpoints/list-token-keys.ts'
import { refreshSession } from './endpoints/refresh-session.ts'
import { replaceMyRecoveryCodes } from './endpoints/replace-my-recovery-codes.ts'
import { requestPasswordReset } from './endpoints/request-password-reset.ts'
import { showAmpCliPage } from './endpoints/show-amp-cli-page.ts'
import { showCliConsentPage } from './endpoints/show-cli-consent-page.ts'
import { showEnrollPage } from './endpoints/show-enroll-page.ts'
import { showFactorPage } from './endpoints/show-factor-page.ts'
import { showForgotPage } from './endpoints/show-forgot-page.ts'
import { showInvitePage } from './endpoints/show-invite-page.ts'
import { showResetPage } from './endpoints/show-reset-page.ts'
import { showSetupPage } from './endpoints/show-setup-page.ts'
import { showSignInPage } from './endpoints/show-sign-in-page.ts'
import { showSignedInPage } from './endpoints/show-signed-in-page.ts'
import { signOutOfConsole } from './endpoints/sign-out-of-console.ts'
import { startSingleSignOn } from './endpoints/start-single-sign-on.ts'
import { submitAmpCli } from './endpoints/submit-amp-cli.ts'
import { submitCliConsent } from './endpoints/submit-cli-consent.ts'
import { submitEnroll } from './endpoints/submit-enroll.ts'
import { submitFactor } from './endpoints/submit-factor.ts'
import { submitForgot } from './endpoints/submit-forgot.ts'
import { submitInvite } from './endpoints/submit-invite.ts'
import { submitReset } from './endpoints/submit-reset.ts'
import { submitSetup } from './endpoints/submit-setup.ts'
import { submitSignIn } from './endpoints/submit-sign-in.ts'
import { submitSignOut } from './endpoints/submit-sign-out.ts'
import { confirmFactorChangeHandler } from './jobs/confirm-factor-change.ts'
import { confirmPasswordChangeHandler } from './jobs/confirm-password-change.ts'
import { sendPasswordResetHandler } from './jobs/send-password-reset.ts'
import { warnOwnerHandler } from './jobs/warn-owner.ts'

export type { BuilderTokens } from './builder-token.ts'
export { createBuilderTokens } from './builder-token.ts'
export { firstOwnerLink } from './first-owner.ts'
export { hasGuessablePassword } from './guessable.ts'
export { AccountNotFound, newOperatorReset, type OperatorReset } from './operator-reset.ts'
export { type PageServices, sentForm, shownPage } from './page-endpoint.ts'
export { hidden } from './pages/fields.ts'
export { messagePage, type Page, page } from './pages/page.ts'
export type { Passwords } from './password.ts'
export { createPasswords, type PasswordCost } from './password.ts'
export { extendSession, findSession, type SessionOwner } from './session-store.ts'
export { endSession, startSession } from './sessions.ts'
export { signInTicks } from './sign-in-ticks.ts'
export type { SingleSignOn, VouchedPerson } from './single-sign-on.ts'
export { createSingleSignOn } from './single-sign-on.ts'

export const signInEndpoints = [
  createSession,
  refreshSession,
  exchangeSignInCode,
  endSession,
  changePassword,
  listMyFactors,
  beginTotp,
  confirmTotp,
  beginPasskey,
  confirmPasskey,
  deleteMyFactor,
  replaceMyRecoveryCodes,
  createMyProof,
  deleteOrgBuilderFactors,
  listMySessions,
  deleteMySession,
  endOtherSessions,
  requestPasswordReset,
  createPasswordReset,
  completePasswordReset,
  getClient,
  listTokenKeys,
  showSignInPage,
  submitSignIn,
  showFactorPage,
  submitFactor,
  showEnrollPage,
  submitEnroll,
  confirmEnroll,
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
  createConsoleToken,
  signOutOfConsole,
]
export const signInJobs = [
  warnOwnerHandler,
  sendPasswordResetHandler,
  confirmPasswordChangeHandler,
  confirmFactorChangeHandler,
]
