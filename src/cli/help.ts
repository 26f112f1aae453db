/**
 * What `orgsync --help` prints below the commands.
 */
import { exitCodes } from "../errors.ts";

export const programHelp = `
Exit codes:
  ${exitCodes.converged}    in sync, or nothing to report
  ${exitCodes.error}    error
  ${exitCodes.changes}    changes or drift found (plan --detailed-exitcode, drift)
  ${exitCodes.invalid}    invalid document, flags or configuration
  ${exitCodes.notAuthorized}    not authorized
  ${exitCodes.guard}    blocked by a guard
  ${exitCodes.stalePlan}    saved plan is stale
  ${exitCodes.partlyApplied}    partly applied
  ${exitCodes.waiting}    pending approval
  ${exitCodes.rejectedOrDenied}    rejected or denied
  ${exitCodes.interrupted}  interrupted

Example, without an account:
  orgsync init --local
  orgsync plan --local`;
