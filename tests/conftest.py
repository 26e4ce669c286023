"""Settings of the whole suite."""

import os

from hypothesis import HealthCheck, settings

# In CI the same examples every time, so that a red run is about the change; at home new ones.
settings.register_profile(
    "catchrate",
    deadline=None,
    max_examples=100,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("catchrate")
