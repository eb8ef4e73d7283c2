// SPDX-License-Identifier: MIT
//
// Names that a model gives to numbers of its own, against those that results have anyway: an output
// 'pin.angle' beside a joint 'pin', or a signal 'time', would be two columns of one name.

#include "base/alloc.h"
#include "model/output.h"
#include "model/vocabulary.h"

// The error names the one that comes later in the vocabulary.
static tn_status check_clash(const tn_model *model, const char *words, const char *name,
                             tn_quantity what, int element)
{
    tn_named_quantity first;
    int count;
    TN_TRY(tn_vocabulary_count(model, name, &count, &first));
    if (count < 2 || (first.what == what && first.element == element))
        return TN_OK;
    return tn_fail_within(tn_vocabulary_find(model, name, &first), "%s", words);
}

static tn_status check_own(const tn_model *model, const char *list, const char *name,
                           tn_quantity what, int element)
{
    char *words = tn_format("%s '%s'", list, name);
    tn_status status = tn_got(words);
    if (status == TN_OK && !(what == TN_Q_STATE && model->state_own.at[element])) // of elements
        status = check_clash(model, words, name, what, element);
    tn_free(words);
    return status;
}

static tn_status check_sampled(const tn_model *model, int k)
{
    const tn_sampled_def *s = &model->samplers.at[k];
    char *words = tn_format("sampled '%s'", s->name);
    tn_status status = tn_got(words);
    for (int i = 0; i < s->n && status == TN_OK; i++) {
        char *name = tn_format("%s.%s", s->name, s->value[i].name);
        status = tn_got(name);
        TN_THEN(status, check_clash(model, words, name, TN_Q_SAMPLED, k));
        tn_free(name);
    }
    tn_free(words);
    return status;
}

tn_status tn_vocabulary_check(const tn_model *model)
{
    for (int i = 0; i < model->signals.count; i++)
        TN_TRY(check_own(model, "signal", model->signals.at[i].name, TN_Q_SIGNAL, i));
    for (int i = 0; i < model->states.count; i++)
        TN_TRY(check_own(model, "state", model->states.at[i].name, TN_Q_STATE, i));
    for (int i = 0; i < model->unknowns.count; i++)
        TN_TRY(check_own(model, "unknown", model->unknowns.at[i].name, TN_Q_UNKNOWN, i));
    for (int i = 0; i < model->samplers.count; i++)
        TN_TRY(check_sampled(model, i));
    for (int i = 0; i < model->outputs.count; i++)
        TN_TRY(check_own(model, "output", model->outputs.at[i]->name, TN_Q_OUTPUT, i));
    return TN_OK;
}
