/**
 * The parts that the components of this process have registered. Construct compares the whole organization and registers
 * the parts; the engine checks and compares each of them later, in the same process. So what Construct found is neither an
 * input nor in the state, and a resource that a program puts below a component is no part of it.
 */
import type { PropertyChange } from "../inputs/property-changes.ts";

interface ComponentPart {
	/** The name of the component, which shows the plan and checks the guards of all parts together. */
	readonly component: string;
	/** How the live object differs from the inputs of the part. Empty if it is in sync, or if that is not known. */
	readonly drift: readonly PropertyChange[];
}

export class ComponentParts {
	readonly #parts = new Map<string, ComponentPart>();

	/** Records the part with this URN. Call it before the part is registered. */
	record(urn: string, part: ComponentPart): void {
		this.#parts.set(urn, part);
	}

	componentOf(urn: string): string | undefined {
		return this.#parts.get(urn)?.component;
	}

	driftOf(urn: string): readonly PropertyChange[] {
		return this.#parts.get(urn)?.drift ?? [];
	}
}
