import { attack } from './s18-supply-chain.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
